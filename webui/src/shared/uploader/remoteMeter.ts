import type { RemoteStep } from './remote';
import { SpeedMeter } from './speed';

/** RemotePace is how far the whole job is: what is downloaded is uploaded, too. */
export interface RemotePace {
  /** Bytes of both ways so far. */
  done: number;
  /** Bytes of both ways; null while the size is unknown. */
  total: number | null;
  /** Bytes per second of the present way; null while unknown. */
  speed: number | null;
  /** Seconds left for both ways; null while unknown. */
  remaining: number | null;
}

/** RemoteMeter follows a file from an address. Each way has a speed of its own. */
export class RemoteMeter {
  private meter = new SpeedMeter();
  private stage = '';
  private size: number | null = null;

  /** add notes a step; `size` is what the site said, `at` the time in milliseconds. */
  add(step: RemoteStep, size: number | null, at: number): RemotePace {
    if (step.stage !== this.stage) {
      this.stage = step.stage;
      this.meter = new SpeedMeter();
    }
    const back = step.stage === 'uploading' || step.stage === 'completing';
    // Once all of it is here, its size is known.
    if (!back) this.size = size === null ? null : Math.max(size, step.moved);
    else if (step.size !== undefined) this.size = step.size;
    this.meter.add(step.moved, at);
    const total = this.size === null ? null : this.size * 2;
    const done = step.moved + (back && this.size !== null ? this.size : 0);
    return {
      done,
      total,
      speed: step.stage === 'completing' ? null : this.meter.rate(),
      remaining: total === null || step.stage === 'completing' ? null : this.meter.remaining(total - done),
    };
  }
}
