import { useRef, useState, type FormEvent } from 'react';
import { useT } from '../../i18n';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { TextField } from './Field';
import { settle, type Confirmation, type Question, type TextQuestion } from './questions';

/** QuestionDialog shows one question and takes it off the queue with its answer. */
export default function QuestionDialog({ question }: { question: Question }) {
  if (question.kind === 'confirm') {
    return (
      <ConfirmDialog
        ask={question.ask}
        onAnswer={(yes) => {
          settle();
          question.answer(yes);
        }}
      />
    );
  }
  return (
    <TextDialog
      ask={question.ask}
      onAnswer={(value) => {
        settle();
        question.answer(value);
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
          enterKeyHint="done"
          {...(ask.secret && { type: 'password', autoComplete: 'current-password' })}
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
