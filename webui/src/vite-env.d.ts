/// <reference types="vite/client" />

declare const __APP_VERSION__: string;
declare module 'virtual:tokens.css';

// The light build has the whole one's shape.
declare module 'hls.js/light' {
  export * from 'hls.js';
  export { default } from 'hls.js';
}
