/** choicesOf are values that can be chosen, with what each is called. */
export const choicesOf = <const V extends string>(values: readonly V[], labelOf: (value: V) => string) =>
  values.map((value) => ({ value, label: labelOf(value) }));
