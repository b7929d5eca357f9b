import { useState } from 'react';
import { config } from '../../config';
import { useT } from '../../i18n';
import { Button, Dialog } from '../../shared/ui';
import styles from './extras.module.css';
import { keysOff, setKeysOff } from './keys';

const mac = /Mac|iPhone|iPad/.test(navigator.platform);
const command = mac ? '⌘' : 'Ctrl';
const option = mac ? '⌥' : 'Alt';

/** Keys by the place where they work; `at` is the page that the place belongs to. */
const places = [
  {
    place: 'everywhere',
    keys: [
      ['list', '?'],
      ['close', 'Esc'],
    ],
  },
  {
    place: 'editor',
    at: '/',
    keys: [
      ['share', `${command} + Enter`],
      ['save', `${command} + S`],
      ['leave', 'Esc, Tab'],
    ],
  },
  {
    place: 'upload',
    at: '/upload',
    keys: [
      ['paste', `${command} + V`],
      ['takeOut', 'Delete'],
    ],
  },
  {
    place: 'explorer',
    at: '/mount-explorer',
    keys: [
      ['arrows', '↑ ↓ ← →'],
      ['ends', 'Home · End'],
      ['typeAhead', 'A … Z'],
      ['open', 'Enter'],
      ['select', 'Space'],
      ['extend', 'Shift + ↑ ↓'],
      ['all', `${command} + A`],
      ['rename', 'F2'],
      ['remove', 'Delete'],
      ['up', `Backspace · ${option} + ↑`],
      ['menu', 'Shift + F10'],
      ['clear', 'Esc'],
      ['search', `${command} + K`],
      ['path', `${command} + L`],
      ['files', `${option} + ← →`],
      ['back', 'Esc'],
    ],
  },
  {
    place: 'player',
    at: '/file',
    keys: [
      ['play', 'Space'],
      ['seek', '← →'],
      ['volume', '↑ ↓'],
      ['mute', 'M'],
      ['full', 'F'],
    ],
  },
  {
    place: 'image',
    at: '/file',
    keys: [
      ['zoom', '+ · −'],
      ['images', '← →'],
    ],
  },
  { place: 'panel', at: '/admin', keys: [['palette', `${command} + K`]] },
  { place: 'divider', at: '/paste', keys: [['width', '← → · Home · End']] },
] as const;

/** KeysDialog lists what can be done by keys, those of the page at hand first, and lets "?" be switched off. */
export default function KeysDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [off, setOff] = useState(keysOff);
  const here = location.pathname.slice(config.basePath.length);
  const isHere = (place: (typeof places)[number]) =>
    'at' in place && (place.at === '/' ? here === '/' : here.startsWith(place.at));
  const sorted = places.toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)));
  return (
    <Dialog
      title={t('shortcuts.title')}
      onClose={onClose}
      footer={
        <Button data-autofocus="" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      {sorted.map(({ place, keys }) => (
        <section key={place} className={styles.place}>
          <h3>{t(`shortcuts.places.${place}`)}</h3>
          <dl>
            {keys.map(([name, pressed]) => (
              <div key={name}>
                <dt>{t(`shortcuts.${place}.${name}`)}</dt>
                <dd>
                  <kbd>{pressed}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={!off}
          onChange={(event) => {
            setOff(!event.target.checked);
            setKeysOff(!event.target.checked);
          }}
        />
        {t('shortcuts.switch')}
      </label>
    </Dialog>
  );
}
