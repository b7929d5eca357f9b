import { ChevronLeft, ChevronRight, LoaderCircle, RotateCw, X, ZoomIn, ZoomOut } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useT } from '../../i18n';
import { IconButton } from '../ui';
import { modal } from '../ui/modal';
import styles from './lightbox.module.css';

export interface Picture {
  /** Undefined while its address is on its way. */
  src: string | undefined;
  name: string;
}

interface LightboxProps {
  pictures: readonly Picture[];
  index: number;
  onIndex: (index: number) => void;
  onClose: () => void;
}

const zoomStep = 1.4;
const zoomLimit = 8;
const atRest = { zoom: 1, x: 0, y: 0, turn: 0 };

/** Lightbox shows pictures large: zoom, pan, turn, next and previous, by pointer, wheel and keys. */
export function Lightbox({ pictures, index, onIndex, onClose }: LightboxProps) {
  const t = useT();
  const [view, setView] = useState(atRest);
  const drag = useRef<{ x: number; y: number; moved: number } | undefined>(undefined);
  const picture = pictures[index];

  const zoom = (factor: number) =>
    setView((before) => {
      const next = Math.min(zoomLimit, Math.max(1, before.zoom * factor));
      return next === 1 ? { ...atRest, turn: before.turn } : { ...before, zoom: next };
    });

  const go = (step: number) => {
    const next = index + step;
    if (next < 0 || next >= pictures.length) return;
    setView(atRest);
    onIndex(next);
  };

  function keys(event: KeyboardEvent) {
    const action = {
      ArrowLeft: () => go(-1),
      ArrowRight: () => go(1),
      '+': () => zoom(zoomStep),
      '=': () => zoom(zoomStep),
      '-': () => zoom(1 / zoomStep),
      '0': () => setView(atRest),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  function move(event: PointerEvent) {
    const from = drag.current;
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (view.zoom === 1) return;
    drag.current = { x: event.clientX, y: event.clientY, moved: from.moved + Math.abs(dx) + Math.abs(dy) };
    setView((before) => ({ ...before, x: before.x + dx, y: before.y + dy }));
  }

  // Without zoom a sideways swipe turns the page.
  function release(event: PointerEvent) {
    const from = drag.current;
    drag.current = undefined;
    if (!from || view.zoom !== 1) return;
    const way = event.clientX - from.x;
    if (Math.abs(way) > 60) go(way < 0 ? 1 : -1);
  }

  if (!picture) return null;
  const several = pictures.length > 1;
  return (
    <dialog
      ref={modal}
      className={styles.lightbox}
      aria-label={picture.name || t('preview.image.title')}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={keys}
    >
      <div className={styles.bar}>
        <p>
          <bdi>{picture.name}</bdi>
          {several && (
            <span className={styles.count}>
              {t('preview.image.count', { index: index + 1, total: pictures.length })}
            </span>
          )}
        </p>
        <IconButton
          label={t('preview.image.zoomOut')}
          disabled={view.zoom === 1}
          onClick={() => zoom(1 / zoomStep)}
        >
          <ZoomOut size={20} />
        </IconButton>
        <IconButton
          label={t('preview.image.zoomIn')}
          disabled={view.zoom >= zoomLimit}
          onClick={() => zoom(zoomStep)}
        >
          <ZoomIn size={20} />
        </IconButton>
        <IconButton
          label={t('preview.image.turn')}
          onClick={() => setView((before) => ({ ...before, turn: before.turn + 90 }))}
        >
          <RotateCw size={20} />
        </IconButton>
        <IconButton label={t('common.close')} onClick={onClose}>
          <X size={20} />
        </IconButton>
      </div>
      <div
        className={styles.stage}
        onWheel={(event) => zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15)}
        onDoubleClick={() => (view.zoom > 1 ? setView(atRest) : zoom(2.5))}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, moved: 0 };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={() => (drag.current = undefined)}
      >
        {picture.src === undefined && <LoaderCircle className={styles.wait} size={28} />}
        <img
          hidden={picture.src === undefined}
          src={picture.src}
          alt={picture.name}
          draggable={false}
          referrerPolicy="no-referrer"
          data-zoomed={view.zoom > 1 || undefined}
          style={{
            transform: `translate(${view.x}px, ${view.y}px) rotate(${view.turn}deg) scale(${view.zoom})`,
          }}
        />
      </div>
      {several && (
        <>
          <IconButton
            className={styles.previous}
            label={t('preview.image.previous')}
            disabled={index === 0}
            onClick={() => go(-1)}
          >
            <ChevronLeft size={24} />
          </IconButton>
          <IconButton
            className={styles.next}
            label={t('preview.image.next')}
            disabled={index === pictures.length - 1}
            onClick={() => go(1)}
          >
            <ChevronRight size={24} />
          </IconButton>
        </>
      )}
    </dialog>
  );
}
