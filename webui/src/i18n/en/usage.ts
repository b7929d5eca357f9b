const usage = {
  title: 'Usage',
  intro: 'What you’ve uploaded with this key. Daily figures start over at %{time}.',
  bytesToday: 'Uploaded today',
  filesToday: 'Files today',
  bytesStored: 'Stored in file shares',
  of: '%{used} of %{limit}',
  noLimit: '%{used}, no limit',
  left: '%{left} left',
  reached: 'Limit reached',
  none: 'Nothing uploaded yet.',
  mounts: 'Files in mounts count towards today’s uploads but not towards what’s stored.',
};

export default usage;
