/** Every bound of the public server in one place: nothing that a stranger sends may be unlimited. */
export interface HttpLimits {
  readonly bodyBytesMax: number;
  /** From the beginning of reading the body to its last byte. */
  readonly bodyTimeMs: number;
  /** Names in one source (query or body), nested ones included. */
  readonly fieldsMax: number;
  /** The object that holds the fields is the first level. */
  readonly depthMax: number;
  readonly headerBytesMax: number;
  readonly headerTimeMs: number;
  /** From the first byte of a request to the last byte of its body, also in the pass-through. */
  readonly requestTimeMs: number;
  readonly keepAliveTimeMs: number;
  /** How long a reply may wait unsent because its caller does not read. */
  readonly unreadTimeMs: number;
  /** The process's limit of open files may reduce it, see `shareDescriptors`. */
  readonly connectionsMax: number;
}

export type BodyLimits = Pick<HttpLimits, 'bodyBytesMax' | 'bodyTimeMs' | 'fieldsMax' | 'depthMax'>;

/** A purchase is below one kilobyte; a bulk SMS to thousands of numbers is below 256. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytesMax: 256 * 1024,
  bodyTimeMs: 10_000,
  fieldsMax: 200,
  depthMax: 8,
  headerBytesMax: 16 * 1024,
  headerTimeMs: 10_000,
  requestTimeMs: 60_000,
  keepAliveTimeMs: 65_000,
  unreadTimeMs: 30_000,
  connectionsMax: 10_000,
};
