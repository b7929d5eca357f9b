import { expect, it } from 'vitest';
import { RemoteMeter } from './remoteMeter';

it('adds both ways up, and gives each its own speed', () => {
  const meter = new RemoteMeter();
  expect(meter.add({ stage: 'direct', percent: 0, moved: 0 }, 1000, 0)).toEqual({
    done: 0,
    total: 2000,
    speed: null,
    remaining: null,
  });
  expect(meter.add({ stage: 'direct', percent: 24, moved: 500 }, 1000, 1000)).toEqual({
    done: 500,
    total: 2000,
    speed: 500,
    remaining: 3,
  });
  expect(meter.add({ stage: 'uploading', percent: 50, moved: 0, size: 1000 }, 1000, 2000)).toMatchObject({
    done: 1000,
    speed: null,
  });
  expect(meter.add({ stage: 'uploading', percent: 74, moved: 500, size: 1000 }, 1000, 2500)).toEqual({
    done: 1500,
    total: 2000,
    speed: 1000,
    remaining: 1,
  });
});

it('learns the size of a file of unknown size when it is here', () => {
  const meter = new RemoteMeter();
  expect(meter.add({ stage: 'proxied', percent: 0, moved: 300 }, null, 0)).toMatchObject({
    total: null,
    remaining: null,
  });
  expect(meter.add({ stage: 'uploading', percent: 50, moved: 0, size: 700 }, null, 1)).toMatchObject({
    done: 700,
    total: 1400,
  });
});
