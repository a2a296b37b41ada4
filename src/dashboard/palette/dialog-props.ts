/** Properties of the dialogs that shortcuts open. */
export interface DialogProps {
  /** Closes the dialog; `isElsewhere` says that another page is opened. */
  onClose(isElsewhere: boolean): void;
  /** Opens the list of keys instead. */
  onShortcuts(): void;
}
