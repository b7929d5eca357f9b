const several = {
  downloads: 'Download limit',
  downloadsHint: 'Each file and each ZIP counts.',
  downloadsWrong: 'Enter a number from 0 to 999,999',
  used: '%{used} of %{max} used. A new limit resets the count.',
  look: 'Initial view',
  lookHint: 'What visitors see first. They can change it.',
  looks: {
    own: 'The view they used last',
    list: 'A list',
    grid: 'A grid with previews',
    gallery: 'A gallery of the images',
    preview: 'A preview of the first file',
  },
};

export default several;
