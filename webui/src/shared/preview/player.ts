/** Told is what a player of streams reports. */
export interface Told {
  playing: () => void;
  /** broken says that it cannot go on; begun says whether a part of the film has come. */
  broken: (begun: boolean) => void;
}

/** Attached is a player that feeds an element until it is destroyed. */
export interface Attached {
  destroy: () => void;
}
