/** listLink leads to a list of the panel that is narrowed down by these filters. */
export const listLink = (resource: string, filters: Record<string, string>): string =>
  `/admin/${resource}?filter=${encodeURIComponent(JSON.stringify(filters))}`;
