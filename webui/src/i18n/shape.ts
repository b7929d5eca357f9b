/** A catalogue: texts by key, nested as deep as the keys have parts. */
export interface Messages {
  [key: string]: string | Messages;
}

/** Shape is what a translation of the catalogue T must provide: the same keys, any texts. */
export type Shape<T> = { [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };

/** One language: the areas every page needs, and loaders of the areas that come with their route. */
export interface Catalogue {
  core: Messages;
  areas: Record<string, () => Promise<{ default: Messages }>>;
}
