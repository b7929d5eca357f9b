import { useMemo } from 'react';
import { encode } from 'uqr';
import { useT } from '../../i18n';
import { Address } from './Address';
import { Button } from './Button';
import { Dialog } from './Dialog';
import styles from './QrDialog.module.css';

interface QrDialogProps {
  link: string;
  /** name of the downloaded picture, without extension. */
  fileName?: string;
  onClose: () => void;
}

// Quiet zone in modules; scanners want at least four.
const quiet = 4;

/** QrDialog shows a link as a QR code, dark on white in both themes, and offers it as a picture. */
export default function QrDialog({ link, fileName = 'qr', onClose }: QrDialogProps) {
  const t = useT();
  const svg = useMemo(() => qrSvg(link), [link]);
  return (
    <Dialog
      title={t('qr.title')}
      onClose={onClose}
      footer={
        svg && (
          <>
            <Button onClick={() => save(new Blob([svg], { type: 'image/svg+xml' }), `${fileName}.svg`)}>
              {t('qr.svg')}
            </Button>
            <Button variant="primary" onClick={() => void savePng(svg, `${fileName}.png`)}>
              {t('qr.png')}
            </Button>
          </>
        )
      }
    >
      {svg ? (
        <img
          className={styles.code}
          width={280}
          height={280}
          src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
          alt={t('qr.alt', { link })}
        />
      ) : (
        <p>{t('qr.tooLong')}</p>
      )}
      <p className={styles.link}>
        <Address link={link} />
      </p>
    </Dialog>
  );
}

/** qrSvg draws the code; undefined when the link has more than a QR code can hold. */
function qrSvg(link: string): string | undefined {
  let code;
  try {
    code = encode(link, { ecc: 'M', border: 0 });
  } catch {
    return undefined;
  }
  const size = code.size + 2 * quiet;
  const path = code.data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="560" height="560"` +
    ` shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`
  );
}

async function savePng(svg: string, name: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1120;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save(blob, name), 'image/png');
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
