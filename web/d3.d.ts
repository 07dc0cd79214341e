// What the scripts use has no types in Debian's packages, or is newer than the types of its tsc.
declare module "d3-*";

declare class DecompressionStream {
  constructor(format: string);
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}
