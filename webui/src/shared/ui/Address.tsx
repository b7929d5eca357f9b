import { Fragment } from 'react';

/** Address is a link to be read, which breaks behind its slashes where a line is too short for it. */
export const Address = ({ link }: { link: string }) =>
  (link.match(/[^/]*\/+|[^/]+/g) ?? []).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
