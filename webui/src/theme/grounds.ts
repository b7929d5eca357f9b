/** Backgrounds of the two themes, which the browser's own frame takes over; apart from the other tokens, so that scripts stay small. */
export const grounds = { light: '#F6F6F2', dark: '#11161A' };
