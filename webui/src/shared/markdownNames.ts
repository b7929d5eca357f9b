/** markdownExtensions are those of Markdown, in lower case. */
export const markdownExtensions = new Set('md markdown mdown mkd mdwn mdtxt mdtext rmd'.split(' '));

/** isMarkdown says whether a file is Markdown by its name. */
export const isMarkdown = (name: string): boolean =>
  name.includes('.') && markdownExtensions.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
