import { createContext, useContext } from 'react';
import { get, set, type FieldValues } from 'react-hook-form';
import { withDefaults, type Column, type ResolvedColumn } from '../list/columns';
import type { Lines } from './changes';
import {
  AreaInput,
  SecretInput,
  SelectInput,
  SizeInput,
  SwitchInput,
  TextInput,
  type AnyInputProps,
} from './inputs';
import { bytesOf, sizeParts } from './size';

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value)).trim();

/** isOn reads a switch as the server may write it. */
export const isOn = (value: unknown) => value === true || value === 1 || value === '1' || value === 'true';

const asText = (value: unknown) => value ?? '';

interface Size {
  amount: number | string;
  unit: string;
}

/** kinds say how a form takes a value over from a record, and what of it goes to the server. */
const kinds = {
  text: { initial: '', read: asText, write: text },
  /** optional texts and numbers are null where there is none. */
  optional: { initial: '', read: asText, write: (value: unknown) => text(value) || null },
  number: { initial: 0, read: asText, write: (value: unknown) => Number(text(value)) },
  optionalNumber: {
    initial: '',
    read: asText,
    write: (value: unknown) => (text(value) === '' ? null : Number(text(value))),
  },
  switch: { initial: false, read: isOn, write: Boolean },
  choice: { initial: '', read: asText, write: String },
  area: { initial: '', read: asText, write: text },
  secret: { initial: '', read: asText, write: text },
  size: {
    initial: 0,
    read: (value: unknown) => sizeParts(Number(value)),
    write: (value: unknown) => bytesOf(Number((value as Size).amount || 0), (value as Size).unit),
  },
};

/** A FieldDef tells everything about a field of a record: how it is entered, begun, checked, sent, said and listed. */
export interface FieldDef<R> {
  label: string;
  /** kind is that of its input; without one the field is in lists only. */
  kind?: keyof typeof kinds;
  input?: AnyInputProps;
  /** of is its name in the record and in what is sent, where that is another one. */
  of?: string;
  /** also is a name of the API that stands for the same. */
  also?: string;
  /** initial is what a new record has, in the form's terms. */
  initial?: unknown;
  /** read makes of what is stored what the form holds. */
  read?: (stored: unknown) => unknown;
  /** write makes of what the form holds what is sent; undefined is not sent. */
  write?: (value: unknown, values: FieldValues) => unknown;
  /** said is its value for people, where that is not the one of the form; false leaves it out. */
  said?: false | ((value: unknown, values: FieldValues, record: R | undefined) => unknown);
  column?: Partial<Omit<Column<R>, 'source'>>;
}

/** Fields are those of one kind of record, by the names that they have in its form. */
export type Fields<R> = Record<string, FieldDef<R>>;

const inputsOf = <R,>(fields: Fields<R>) =>
  Object.entries(fields).flatMap(([source, { kind, ...field }]) =>
    kind ? [{ source, kind, ...field }] : [],
  );

/** valuesOf is what a form begins with, for a record or for a new one. */
export function valuesOf<R extends object>(fields: Fields<R>, record?: R): FieldValues {
  const values: FieldValues = {};
  for (const { source, kind, of = source, ...field } of inputsOf(fields)) {
    const { initial = kinds[kind].initial, read = kinds[kind].read } = field;
    const stored = record && get<R>(record, of);
    set(values, source, stored === undefined ? initial : read(stored));
  }
  return values;
}

/** draftOf is what is sent of a form. */
export function draftOf<R>(fields: Fields<R>, values: FieldValues): Record<string, unknown> {
  const draft: Record<string, unknown> = {};
  for (const { source, kind, of = source, write = kinds[kind].write } of inputsOf(fields)) {
    const value = write(get<unknown>(values, source), values);
    if (value !== undefined) set(draft, of, value);
  }
  return draft;
}

/** linesOf is what a form says, for people; `record` is the one that it changes. */
export const linesOf = <R,>(fields: Fields<R>, values: FieldValues, record?: R): Lines =>
  inputsOf(fields).flatMap(({ source, kind, label, input, said }) => {
    if (said === false) return [];
    const value = get<unknown>(values, source);
    if (said) return [[label, said(value, values, record)] as const];
    const chosen = input?.choices?.find((choice) => choice.value === value)?.label;
    return [[label, chosen ?? (kind === 'switch' ? isOn(value) : text(value))] as const];
  });

const bare = (name: string) => name.replace(/^options\./, '');

/** sourceOf names the input that holds a field of the API; undefined where the form has none. */
export const sourceOf = <R,>(fields: Fields<R>, told: string): string | undefined =>
  inputsOf(fields).find(({ source, of = source, also }) => bare(of) === bare(told) || also === told)?.source;

/** columnsOf are the columns of a list; those that say nothing else show and export the value itself. */
export const columnsOf = <R extends object>(fields: Fields<R>): ResolvedColumn<R>[] =>
  Object.entries(fields).flatMap(([source, { label, of = source, column }]) =>
    column ? [withDefaults({ source: of, label, ...column })] : [],
  );

/** FieldsContext has the fields of the form around. */
export const FieldsContext = createContext<Fields<never>>({});

/** FieldInput is the input of a field. What depends on other fields, such as a hint, is given beside its name. */
export function FieldInput({ source, ...more }: AnyInputProps & { source: string; label?: string }) {
  const { kind = 'text', label: name = '', input } = useContext(FieldsContext)[source] ?? {};
  const { choices = [], unitLabel = '', label = name, ...rest } = { ...input, ...more };
  const props = { source, label, ...rest };
  switch (kind) {
    case 'switch':
      return <SwitchInput {...props} />;
    case 'choice':
      return <SelectInput {...props} choices={choices} />;
    case 'size':
      return <SizeInput {...props} unitLabel={unitLabel} />;
    case 'area':
      return <AreaInput {...props} />;
    case 'secret':
      return <SecretInput {...props} />;
    case 'number':
      return <TextInput {...props} inputMode="numeric" />;
    case 'optionalNumber':
      return <TextInput {...props} inputMode="numeric" optional />;
    case 'optional':
      return <TextInput {...props} optional />;
    default:
      return <TextInput {...props} />;
  }
}
