import type { Translate } from '../../i18n';

const openxml = 'application/vnd.openxmlformats-officedocument';
const opendocument = 'application/vnd.oasis.opendocument';

/** typeGroups are the kinds of files that people think in, with the media types of their contents. */
const typeGroups = {
  image: ['image/*'],
  video: ['video/*'],
  audio: ['audio/*'],
  pdf: ['application/pdf'],
  office: [
    `${openxml}.wordprocessingml.document`,
    `${openxml}.spreadsheetml.sheet`,
    `${openxml}.presentationml.presentation`,
    `${opendocument}.text`,
    `${opendocument}.spreadsheet`,
    `${opendocument}.presentation`,
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.ms-powerpoint',
    'text/rtf',
  ],
  text: ['text/*', 'application/json'],
  archive: [
    'application/zip',
    'application/gzip',
    'application/x-7z-compressed',
    'application/x-rar-compressed',
    'application/x-tar',
    'application/x-xz',
    'application/x-bzip2',
  ],
} as const satisfies Record<string, readonly string[]>;

type TypeGroup = keyof typeof typeGroups;

const groupNames = Object.keys(typeGroups) as TypeGroup[];

/** groupsOf are the groups whose types are all there, and the types that belong to none of them. */
function groupsOf(types: readonly string[]): { groups: TypeGroup[]; others: string[] } {
  const groups = groupNames.filter((name) => typeGroups[name].every((type) => types.includes(type)));
  const covered = new Set<string>(groups.flatMap((name) => [...typeGroups[name]]));
  return { groups, others: types.filter((type) => !covered.has(type)) };
}

/** typesInWords names what a request takes, with the messages of the area "request". */
export function typesInWords(types: readonly string[], t: Translate): string {
  const { groups, others } = groupsOf(types);
  return [...groups.map((name) => t(`request.types.${name}`)), ...others].join(t('request.types.separator'));
}

/** mayFit says whether a file could be of a type, by what the browser thinks of it; the server looks at the content. */
export function mayFit(file: File, types: readonly string[]): boolean {
  if (types.length === 0 || !file.type) return true;
  const family = `${file.type.split('/')[0]}/*`;
  if (types.includes(file.type) || types.includes(family)) return true;
  // What browsers call by other names than the server does is left to the server.
  return (
    !/^(image|video|audio)\//.test(file.type) || types.some((type) => type.startsWith(family.slice(0, -1)))
  );
}

/** typePresets are what an owner chooses from; what fits none of them was chosen by the API. */
const typePresets = {
  any: [],
  image: ['image'],
  media: ['image', 'video', 'audio'],
  documents: ['pdf', 'office', 'text'],
  archive: ['archive'],
} as const satisfies Record<string, readonly TypeGroup[]>;

export type TypePreset = keyof typeof typePresets;

export const presetNames = Object.keys(typePresets) as TypePreset[];

/** typesOf are the media types of a preset. */
export const typesOf = (preset: TypePreset): string[] =>
  typePresets[preset].flatMap((group) => [...typeGroups[group]]);

/** presetOf is the preset with exactly these types; undefined where there is none. */
export const presetOf = (types: readonly string[]): TypePreset | undefined =>
  presetNames.find((name) => {
    const own = typesOf(name);
    return own.length === types.length && own.every((type) => types.includes(type));
  });
