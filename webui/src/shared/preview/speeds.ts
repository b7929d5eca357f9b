/** Speeds that a player offers. */
export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;

/** speedText is a speed as players write it. */
export const speedText = (speed: number) => `${speed}×`;
