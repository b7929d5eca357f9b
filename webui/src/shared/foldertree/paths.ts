// Paths of folders have no "/" at their end here, but for "/" itself; the API's do.

export const segmentsOf = (path: string) => path.split('/').filter(Boolean);

/** cleanPath gives a path of the API or of a person the form used here. */
export const cleanPath = (path: string) => `/${segmentsOf(path).join('/')}`;

export const nameOf = (path: string) => segmentsOf(path).at(-1) ?? '';
export const parentOf = (path: string) => `/${segmentsOf(path).slice(0, -1).join('/')}`;
export const join = (folder: string, name: string) => `${folder === '/' ? '' : folder}/${name}`;
