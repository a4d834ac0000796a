/** What the name or address of a server says: whether only this machine reaches it, and whether two are the same. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** True for names and addresses that only this machine reaches. */
export function isLoopback(hostName: string): boolean {
  if (hostName === 'localhost') return true;
  return isIP(hostName) !== 0 && ipaddr.process(hostName).range() === 'loopback';
}

/** Whether two servers that listen there would take the same connections. */
export function doHostsMeet(one: string, other: string): boolean {
  const isWildcard = (name: string) => name === '0.0.0.0' || name === '::';
  return one === other || isWildcard(one) || isWildcard(other) || (isLoopback(one) && isLoopback(other));
}
