// Made of docs/openapi.json by `npm run types`.
import type { components } from './described';

type Schemas = components['schemas'];

/**
 * Schema is a part of the API's answers by its name in docs/openapi.json; Known is what this app knows more exactly than
 * is described there, such as times that are never missing.
 */
export type Schema<Name extends keyof Schemas, Known = unknown> = Omit<Schemas[Name], keyof Known> & Known;
