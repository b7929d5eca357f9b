import { Check, Upload } from 'lucide-react';
import { useId, useRef, useState, type FormEvent } from 'react';
import type { RequestForm } from '../../api/requests';
import { nothingToDrag, useMedia } from '../../hooks/useMedia';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatOver, formatSize } from '../../shared/format';
import { PageHeading } from '../../shared/page';
import { mayFit, typesInWords } from '../../shared/requests/types';
import { changeVisit, visitOf } from '../../shared/requests/visit';
import { Button, Field, inputClass, TextField, TimeIn } from '../../shared/ui';
import { FilePicker } from '../../shared/uploader/FilePicker';
import { sendToRequest } from '../../shared/uploader/sendToRequest';
import type { Chosen } from '../../shared/uploader/sources';
import { UnfinishedRow } from '../../shared/uploader/UnfinishedRow';
import { Trouble, UploadRow } from '../../shared/uploader/UploadRow';
import { hasBegun, sentOf, uploads } from '../../shared/uploader/uploads';
import { useUnfinished } from '../../shared/uploader/useUnfinished';
import { usePageDrops } from '../../shared/uploader/usePageDrops';
import { useStore } from '../../store';
import styles from './request.module.css';

interface SendFormProps {
  slug: string;
  form: RequestForm;
}

/** SendForm asks a sender for files and what the owner wants to know, sends them, and says thank you. */
export function SendForm({ slug, form }: SendFormProps) {
  const t = useT();
  const touch = useMedia(nothingToDrag);
  const language = useLanguage();
  const items = useStore(uploads).items.filter(({ to, folder }) => to === 'request' && folder === slug);
  const unfinished = useUnfinished(slug);
  const [sender, setSender] = useState(() => visitOf(slug).sender);
  const [note, setNote] = useState(() => visitOf(slug).note);
  const [tried, setTried] = useState(false);
  const [sent, setSent] = useState(() => form.files.filter(({ state }) => state === 'stored'));
  const input = useRef<HTMLInputElement>(null);
  const filesId = useId();
  const add = (chosen: Chosen[]) =>
    uploads.add(chosen.map(({ file }) => ({ file, to: 'request', folder: slug })));
  const over = usePageDrops(add);

  const refused = (file: File): string | undefined => {
    if (form.max_file_bytes > 0 && file.size > form.max_file_bytes)
      return t('request.tooLarge', formatOver(file.size, form.max_file_bytes, language));
    return mayFit(file, form.types) ? undefined : t('request.wrongType');
  };
  const ready = items.filter((item) => !hasBegun(item) && !refused(item.file));
  const running = items.filter(({ status, queued }) => status === 'uploading' || queued);
  const done = items.filter(({ status }) => status === 'success');
  const coming = items.filter((item) => !done.includes(item));
  const all = done.length > 0 && coming.length === 0;
  const arrived = done.flatMap((item) => sentOf(item) ?? []);
  const earlier = sent.filter(({ id }) => !arrived.some((file) => file.id === id));
  // They are thanked for together; until then those that have arrived stand among what was sent before.
  const before = all ? earlier : [...arrived, ...earlier];
  const missing = (ask: RequestForm['ask_name'], text: string) =>
    tried && ask === 'required' && !text.trim() ? t('request.missing') : undefined;
  const wrong = {
    sender: form.ask_name === 'required' && !sender.trim(),
    note: form.ask_note === 'required' && !note.trim(),
  };

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setTried(true);
    if (wrong.sender || wrong.note) {
      event.currentTarget.querySelector<HTMLElement>(`[name=${wrong.sender ? 'sender' : 'note'}]`)?.focus();
      return;
    }
    changeVisit(slug, { sender, note });
    uploads.start(
      sendToRequest,
      ready.map(({ id }) => id),
    );
  }

  function again() {
    setSent([...arrived, ...earlier]);
    for (const { id } of done) uploads.remove(id);
  }

  const rules = [
    form.types.length > 0 && t('request.rules.types', { types: typesInWords(form.types, t) }),
    form.max_file_bytes > 0 &&
      t('request.rules.fileBytes', { size: formatSize(form.max_file_bytes, language) }),
    form.max_files > 0 && t('request.rules.files', form.max_files),
    form.max_bytes > 0 && t('request.rules.bytes', { size: formatSize(form.max_bytes, language) }),
  ].filter((rule): rule is string => !!rule);

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageHeading>{form.title}</PageHeading>
        {form.message && (
          <p className={styles.message} dir="auto">
            {form.message}
          </p>
        )}
        {rules.length > 0 && (
          <ul className={styles.rules} aria-label={t('request.rules.title')}>
            {rules.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        )}
        {form.expires_at && (
          <p className={styles.hint}>
            <TimeIn sentence="request.until" value={form.expires_at} />
          </p>
        )}
      </header>

      <p className="visually-hidden" role="status">
        {all ? `${t('request.thanks')}. ${t('request.thanksBody', done.length)}` : ''}
      </p>
      {all ? (
        <section className={styles.thanks}>
          <Check size={32} />
          <h2>{t('request.thanks')}</h2>
          <p>{t('request.thanksBody', done.length)}</p>
          <ul className={styles.names}>
            {done.map(({ id, name, file }) => (
              <li key={id}>
                <bdi>{name}</bdi> <span className={styles.hint}>{formatSize(file.size, language)}</span>
              </li>
            ))}
          </ul>
          <Button onClick={again}>{t('request.more')}</Button>
        </section>
      ) : (
        <form className={styles.form} onSubmit={submit} noValidate>
          {form.ask_name !== 'no' && (
            <TextField
              name="sender"
              label={t('request.sender')}
              optional={form.ask_name === 'optional'}
              required={form.ask_name === 'required'}
              autoComplete="name"
              maxLength={100}
              value={sender}
              error={missing(form.ask_name, sender)}
              onChange={(event) => setSender(event.target.value)}
            />
          )}
          {form.ask_note !== 'no' && (
            <Field
              label={t('request.note')}
              hint={t('request.noteHint')}
              optional={form.ask_note === 'optional'}
              error={missing(form.ask_note, note)}
            >
              {(control) => (
                <textarea
                  {...control}
                  name="note"
                  className={inputClass}
                  dir="auto"
                  rows={3}
                  maxLength={2000}
                  required={form.ask_note === 'required'}
                  value={note}
                  onChange={(event) => setNote(event.target.value)}
                />
              )}
            </Field>
          )}

          <div className={styles.zone} data-over={over || undefined}>
            <Upload size={28} />
            {!touch && <p className={styles.fine}>{t('request.drop')}</p>}
            <Button variant={items.length > 0 ? 'plain' : 'primary'} onClick={() => input.current?.click()}>
              {t('request.choose')}
            </Button>
            <FilePicker
              ref={input}
              data-testid="files"
              accept={form.types.length > 0 ? form.types.join(',') : undefined}
              onFiles={add}
            />
          </div>

          {coming.length + unfinished.length > 0 && (
            <section aria-labelledby={filesId}>
              <h2 id={filesId} className="visually-hidden">
                {t('file.list.title')}
              </h2>
              {unfinished.length > 0 && <p className={styles.hint}>{t('request.resume')}</p>}
              <ul className={styles.list}>
                {unfinished.map((begun) => (
                  <UnfinishedRow key={begun.id} begun={begun} />
                ))}
                {coming.map((item) => {
                  const why = refused(item.file);
                  return (
                    <UploadRow
                      key={item.id}
                      item={item}
                      where=""
                      note={why && ''}
                      onRetry={() => uploads.retry(item.id)}
                    >
                      {why && <Trouble>{why}</Trouble>}
                    </UploadRow>
                  );
                })}
              </ul>
            </section>
          )}

          <div className={styles.end}>
            {running.length > 0 ? (
              <p aria-live="polite">
                {t('request.sending', {
                  done: formatNumber(done.length, language),
                  files: formatNumber(done.length + running.length, language),
                })}
              </p>
            ) : (
              items.length > 0 && (
                <Button type="submit" variant="primary" aria-disabled={ready.length === 0}>
                  {t('request.send', ready.length)}
                </Button>
              )
            )}
            <p className={styles.hint}>{t('request.private')}</p>
          </div>
        </form>
      )}

      {before.length > 0 && (
        <section className={styles.before}>
          <h2>{t('request.sent')}</h2>
          <ul className={styles.names}>
            {before.map(({ id, name, size }) => (
              <li key={id}>
                <bdi>{name}</bdi> <span className={styles.hint}>{formatSize(size, language)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
