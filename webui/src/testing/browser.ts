// What jsdom lacks of a browser, as far as the screens' tests need it.
Element.prototype.scrollIntoView ??= () => {};
window.scrollTo = () => {};
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false;
};
