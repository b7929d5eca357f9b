/** Speed is averaged over this many milliseconds. */
const window = 3000;

/** SpeedMeter turns growing byte counts into a rate over the last three seconds. */
export class SpeedMeter {
  private samples: { at: number; bytes: number }[] = [];

  /** add notes the total of bytes moved until `at`, in milliseconds. */
  add(bytes: number, at: number) {
    this.samples.push({ at, bytes });
    while (this.samples.length > 2 && (this.samples[1]?.at ?? at) <= at - window) this.samples.shift();
  }

  /** rate is bytes per second; null while there is too little to say. */
  rate(): number | null {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    if (!first || !last || last.at - first.at < 250) return null;
    return Math.max(0, ((last.bytes - first.bytes) * 1000) / (last.at - first.at));
  }

  /** remaining is the time left in seconds for so many bytes; null when unknown. */
  remaining(bytesLeft: number): number | null {
    const rate = this.rate();
    return rate ? Math.ceil(bytesLeft / rate) : null;
  }
}
