/** View is which panes of the Markdown editor are open. */
export type View = 'source' | 'split' | 'preview';
