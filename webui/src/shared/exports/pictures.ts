/** Picture is an image as PNG, with its size in pixels. */
export interface Picture {
  bytes: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
}

/** Largest side of a picture that is put into a document, in pixels. */
const largest = 2000;

/** pictureOf reads an image and makes it a PNG, which every program reads. Rejects when it may not be read. */
export async function pictureOf(image: HTMLImageElement, signal: AbortSignal): Promise<Picture> {
  const src = image.getAttribute('src') ?? '';
  const loaded = await load(
    src.startsWith('data:') ? src : await fetched(new URL(src, location.href), signal),
  );
  // Drawings without a size of their own have one in the page.
  const width = loaded.naturalWidth || image.width || 300;
  const height = loaded.naturalHeight || image.height || 150;
  const scale = Math.min(1, largest / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext('2d')?.drawImage(loaded, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(loaded.src);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (!blob) throw new Error('the picture cannot be read');
  return { bytes: new Uint8Array(await blob.arrayBuffer()), width, height };
}

async function fetched(address: URL, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return URL.createObjectURL(await response.blob());
}

async function load(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
    return image;
  } catch (error) {
    URL.revokeObjectURL(address);
    throw error;
  }
}
