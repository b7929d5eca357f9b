const qr = {
  title: 'QR code',
  alt: 'QR code of the link %{link}',
  png: 'Download PNG',
  svg: 'Download SVG',
  tooLong: 'The link is too long for a QR code.',
};

export default qr;
