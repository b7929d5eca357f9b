/** inlineImages puts the pictures of a text into it; those that cannot be read become links. Answers how many. */
export async function inlineImages(content: HTMLElement): Promise<number> {
  const outcomes = await Promise.all([...content.querySelectorAll('img')].map(inlined));
  return outcomes.filter((done) => !done).length;
}

async function inlined(image: HTMLImageElement): Promise<boolean> {
  const src = image.getAttribute('src') ?? '';
  if (src.startsWith('data:')) return true;
  try {
    const response = await fetch(new URL(src, location.href), { signal: AbortSignal.timeout(10_000) });
    const blob = await response.blob();
    if (!response.ok || !blob.type.startsWith('image/')) throw new Error('not a picture');
    image.src = await dataUrl(blob);
    return true;
  } catch {
    const link = document.createElement('a');
    link.href = image.src;
    link.textContent = image.alt || image.src;
    image.replaceWith(link);
    return false;
  }
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}
