/** setHead puts HTML in the place of what is in the head of the page, but for styles, which packages count on. */
export function setHead(html: string) {
  for (const old of document.head.querySelectorAll(':scope > :not(style)')) old.remove();
  document.head.insertAdjacentHTML('afterbegin', html);
}
