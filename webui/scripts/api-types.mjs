// Writes src/api/described.d.ts: the answers of the API as docs/openapi.json describes them. It is made anew before each
// check of the types and is not committed. What stays as it is is not written, or a check would always find something new.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const webui = join(import.meta.dirname, '..');
const { components, ...described } = JSON.parse(readFileSync(join(webui, '../docs/openapi.json'), 'utf8'));
const answers = await openapiTS({ ...described, paths: {}, components: { schemas: components.schemas } });
const [file, text] = [join(webui, 'src/api/described.d.ts'), astToString(answers)];
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
