/** inPlace is how a choice on a page gets into its address: at once, so that the control holds it, and without a step for Back. */
export const inPlace = { replace: true, flushSync: true } as const;
