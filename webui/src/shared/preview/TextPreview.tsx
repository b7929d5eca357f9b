import { Expand, Eye } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { language as languageNow, useLanguage, useT } from '../../i18n';
import { formatOver, formatSize } from '../format';
import { lazyPart } from '../lazyPart';
import { codeName } from '../markdown/codeNames';
import { languageNames, languageOf } from '../markdown/highlight';
import { LazyMarkdownDocument } from '../markdown/LazyMarkdownDocument';
import { Button, CopyButton, IconButton, SelectField, Skeleton } from '../ui';
import { CodeView } from './CodeView';
import { decode, encodings, encodingsFor, guessEncoding, textFacts } from './encoding';
import { Settled, type FilePreviewProps } from './Settled';
import { HtmlDialog } from './HtmlDialog';
import { extensionOf } from './kind';
import type { LineRange } from './lines';
import { LoadFailed } from './LoadFailed';
import { firstPart, loadText, longestText } from './loadText';
import { scriptSource, type PreviewedFile } from './previewed';
import styles from './preview.module.css';
import { Suspended } from './Suspended';
import { roomyClass, shortClass, TextBar, TextForms } from './TextBar';
import { TextView } from './TextView';
import { useWork } from './useWork';
import { useWrapKey } from './useWrapKey';

type Kind = 'markdown' | 'html' | 'code' | 'text';
type Mode = 'rendered' | 'table' | 'code' | 'text';

/** A Markdown text longer than this is shown as it is at first, in characters. */
const longestRendered = 2_000_000;

const TableView = lazyPart(() => import('./TableView'), 'viewers');

const isTable = (filename: string) => /^(csv|tsv|tab)$/.test(extensionOf(filename));

const languageChoices = languageNames
  .map((value) => ({ value, label: codeName(value) }))
  .sort((one, other) => one.label.localeCompare(other.label));

interface TextPreviewProps extends FilePreviewProps {
  kind: Kind;
}

/** TextPreview shows a file's characters: as text, as code, and Markdown rendered. HTML is shown as source. */
export default function TextPreview({ file, kind, bar, bare, onSettled }: TextPreviewProps) {
  const t = useT();
  const language = useLanguage();
  const tooLarge = file.size > longestText;
  const [part, setPart] = useState(isTable(file.filename));
  const most = tooLarge && !part ? 0 : tooLarge ? firstPart : longestText;
  const { bytes, detected, failed, retry } = useBytes(file, most);
  const [chosen, setChosen] = useState('');
  const encoding = chosen || detected;
  const text = useMemo(() => (bytes ? decode(bytes, encoding) : ''), [bytes, encoding]);

  if (tooLarge && !part) {
    return (
      <div className={styles.notice}>
        <Settled onSettled={onSettled} />
        <p>{t('preview.text.tooLarge', formatOver(file.size, longestText, language))}</p>
        <Button onClick={() => setPart(true)}>{t('preview.text.firstPart')}</Button>
      </div>
    );
  }
  if (failed) {
    return (
      <>
        <Settled onSettled={onSettled} />
        <LoadFailed file={file} text={t('preview.text.failed')} onRetry={retry} />
      </>
    );
  }
  if (!bytes) return <Skeleton height={320} />;
  return (
    <>
      {tooLarge && <p className={styles.hint}>{t('preview.text.isPart')}</p>}
      <Shown
        file={file}
        kind={kind}
        bar={bar}
        {...(bare && { bare })}
        onSettled={onSettled}
        text={text}
        encoding={encoding}
        onEncoding={setChosen}
        size={bytes.length}
        cut={tooLarge}
      />
    </>
  );
}

interface ShownProps extends TextPreviewProps {
  text: string;
  encoding: string;
  onEncoding: (label: string) => void;
  /** bytes that were loaded */
  size: number;
  /** cut says that the text is only the beginning of the file. */
  cut: boolean;
}

function Shown({ file, kind, bar, bare, onSettled, text, encoding, onEncoding, size, cut }: ShownProps) {
  const t = useT();
  const reader = useLanguage();
  const [mode, setMode] = useState<Mode>(firstMode(file.filename, kind, text));
  const [language, setLanguage] = useState(() => languageOf(extensionOf(file.filename)) ?? '');
  const [wrap, setWrap] = useState(kind !== 'code');
  const [selected, setSelected] = useState<LineRange>();
  const [rendering, setRendering] = useState(false);
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const facts = useMemo(() => textFacts(text), [text]);
  useWrapKey(() => setWrap((before) => !before));
  const modes: Mode[] = [
    ...(kind === 'markdown' ? ['rendered' as const] : []),
    ...(isTable(file.filename) ? ['table' as const] : []),
    'text',
    'code',
  ];

  const forms = (
    <>
      <TextForms
        label={t('preview.text.mode')}
        value={mode}
        onChange={setMode}
        choices={modes.map((value) => ({ value, label: t(`preview.text.modes.${value}`) }))}
        wrap={mode === 'rendered' || mode === 'table' ? undefined : wrap}
        onWrap={setWrap}
        toolsRef={setTools}
      />
      {kind === 'html' && (
        <Button
          variant="quiet"
          className={shortClass}
          icon={<Eye size={18} />}
          title={t('preview.html.render')}
          onClick={() => setRendering(true)}
        >
          {t('preview.html.render')}
        </Button>
      )}
      {document.fullscreenEnabled && (
        <IconButton
          className={roomyClass}
          label={t('preview.html.full')}
          onClick={() =>
            void (document.fullscreenElement
              ? document.exitFullscreen()
              : box.current?.requestFullscreen().catch(() => undefined))
          }
        >
          <Expand size={18} />
        </IconButton>
      )}
    </>
  );
  const copy = (
    <CopyButton
      variant={bar ? 'primary' : 'plain'}
      className={shortClass}
      text={text}
      label={t('preview.text.copy')}
    />
  );
  return (
    <div ref={box} className={styles.fullable}>
      {bare ? null : bar ? (
        <>
          {bar.forms && createPortal(forms, bar.forms)}
          {bar.copy && createPortal(copy, bar.copy)}
        </>
      ) : (
        <div className={styles.ownBar}>
          <TextBar forms={forms}>{copy}</TextBar>
        </div>
      )}
      {facts.binary && <p className={styles.hint}>{t('preview.text.binary')}</p>}
      {mode === 'rendered' && <LazyMarkdownDocument text={text} tools={tools} onReady={onSettled} />}
      {mode === 'table' && (
        <Suspended height={320}>
          <TableView
            text={text}
            tabs={extensionOf(file.filename) !== 'csv'}
            cut={cut}
            label={file.filename}
          />
          <Settled onSettled={onSettled} />
        </Suspended>
      )}
      {mode === 'text' && <TextView text={text} wrap={wrap} label={file.filename} />}
      {mode === 'code' && (
        <CodeView
          text={text}
          language={language}
          wrap={wrap}
          label={file.filename}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      {!bare && (
        <div className={styles.under}>
          <Facts facts={facts} size={size} encoding={encoding} />
          {mode === 'code' && (
            <SelectField
              className={styles.language}
              label={t('preview.code.language')}
              value={language}
              choices={[{ value: '', label: t('preview.code.noLanguage') }, ...languageChoices]}
              onChange={(event) => setLanguage(event.target.value)}
            />
          )}
          <SelectField
            className={styles.encoding}
            label={t('preview.text.encoding')}
            value={encoding}
            choices={encodingsFor(reader).map(({ label, name }) => ({ value: label, label: name }))}
            onChange={(event) => onEncoding(event.target.value)}
          />
        </div>
      )}
      {(mode === 'text' || mode === 'code') && <Settled onSettled={onSettled} />}
      {rendering && <HtmlDialog source={text} title={file.filename} onClose={() => setRendering(false)} />}
    </div>
  );
}

function firstMode(filename: string, kind: Kind, text: string): Mode {
  if (isTable(filename)) return 'table';
  if (kind === 'markdown') return text.length > longestRendered ? 'text' : 'rendered';
  return kind === 'text' ? 'text' : 'code';
}

interface FactsProps {
  facts: ReturnType<typeof textFacts>;
  size: number;
  encoding: string;
}

function Facts({ facts, size, encoding }: FactsProps) {
  const t = useT();
  const language = useLanguage();
  const name = encodings.find(({ label }) => label === encoding)?.name ?? encoding;
  return (
    <ul className={styles.facts}>
      <li>{t('preview.text.lines', facts.lines)}</li>
      <li>{t('preview.text.characters', facts.characters)}</li>
      <li>{t('preview.text.words', facts.words)}</li>
      <li>{formatSize(size, language)}</li>
      <li>{name}</li>
      <li>{facts.lineEnding === 'mixed' ? t('preview.text.mixed') : facts.lineEnding}</li>
    </ul>
  );
}

/** useBytes fetches the first `most` bytes of a file and guesses their encoding; nothing while `most` is 0. */
function useBytes(file: PreviewedFile, most: number) {
  const source = scriptSource(file);
  const { value, failed, retry } = useWork(
    ['text', source.url, most],
    async (signal) => {
      const bytes = await loadText(source, most, signal);
      return { bytes, encoding: await guessEncoding(bytes, file.filename, languageNow()) };
    },
    { enabled: most > 0 },
  );
  return { bytes: value?.bytes, detected: value?.encoding ?? 'utf-8', failed, retry };
}
