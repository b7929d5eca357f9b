import { useRef, useState, useSyncExternalStore, type FormEvent } from 'react';
import { useT } from '../../i18n';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { TextField } from './Field';
import { questions, settle, subscribeQuestions, type Confirmation, type TextQuestion } from './questions';

/** Questions shows the dialogs that confirm and askText open; the shell renders it once. */
export function Questions() {
  const [first] = useSyncExternalStore(subscribeQuestions, questions);
  if (!first) return null;
  if (first.kind === 'confirm') {
    return (
      <ConfirmDialog
        ask={first.ask}
        onAnswer={(yes) => {
          settle();
          first.answer(yes);
        }}
      />
    );
  }
  return (
    <TextDialog
      ask={first.ask}
      onAnswer={(value) => {
        settle();
        first.answer(value);
      }}
    />
  );
}

function ConfirmDialog({ ask, onAnswer }: { ask: Confirmation; onAnswer: (yes: boolean) => void }) {
  const t = useT();
  const [busy, setBusy] = useState(false);

  async function agree() {
    setBusy(true);
    try {
      await ask.run?.();
    } finally {
      onAnswer(true);
    }
  }

  return (
    <Dialog
      role="alertdialog"
      title={ask.title}
      onClose={() => !busy && onAnswer(false)}
      footer={
        <>
          <Button
            {...(ask.danger && { 'data-autofocus': '' })}
            disabled={busy}
            onClick={() => onAnswer(false)}
          >
            {ask.cancelLabel ?? t('common.cancel')}
          </Button>
          <Button
            {...(!ask.danger && { 'data-autofocus': '' })}
            variant={ask.danger ? 'danger' : 'primary'}
            busy={busy}
            onClick={() => void agree()}
          >
            {ask.confirmLabel ?? t('common.confirm')}
          </Button>
        </>
      }
    >
      {ask.body}
    </Dialog>
  );
}

function TextDialog({ ask, onAnswer }: { ask: TextQuestion; onAnswer: (value?: string) => void }) {
  const t = useT();
  const [value, setValue] = useState(ask.value ?? '');
  const [touched, setTouched] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problem = ask.validate?.(value) ?? '';

  function submit(event: FormEvent) {
    event.preventDefault();
    setTouched(true);
    if (problem) form.current?.querySelector('input')?.focus();
    else onAnswer(value);
  }

  return (
    <Dialog
      title={ask.title}
      onClose={() => onAnswer()}
      footer={
        <>
          <Button onClick={() => onAnswer()}>{t('common.cancel')}</Button>
          <Button variant="primary" onClick={() => form.current?.requestSubmit()}>
            {ask.confirmLabel ?? t('common.confirm')}
          </Button>
        </>
      }
    >
      <form ref={form} onSubmit={submit}>
        <TextField
          data-autofocus=""
          label={ask.label}
          hint={ask.hint}
          error={touched ? problem || undefined : undefined}
          value={value}
          onFocus={(event) => event.target.setSelectionRange(0, ask.select ?? event.target.value.length)}
          onChange={(event) => {
            setValue(event.target.value);
            setTouched(true);
          }}
        />
      </form>
    </Dialog>
  );
}
