import { lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';

const special = new BlockList();
for (const [network, prefix] of /** @type {const} */ ([
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
])) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of /** @type {const} */ ([
  // 2001::/23 and 2002::/16 are tunnels: they can lead to any IPv4 address.
  ['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20],
])) special.addSubnet(network, prefix, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an address is one of the public internet's: not this machine, not a
 * private network, not a cloud platform's metadata service.
 *
 * @param {string} address
 */
export function isPublicAddress(address) {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

/** An address that may not be connected to. */
export class AddressRefused extends Error {
  name = 'AddressRefused';
  code = 'ADDRESS_REFUSED';

  /** @param {string} host */
  constructor(host) {
    super(`${host} is not a public address`);
  }
}

/**
 * A `lookup` for a socket that refuses names with an address that is not
 * allowed. The socket connects to what was judged here, so that a name server
 * cannot answer differently the second time.
 *
 * @param {(address: string) => boolean} mayConnect
 * @returns {import('node:net').LookupFunction}
 */
export function guardedLookup(mayConnect) {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (!error && !addresses.every(mayConnect)) callback(new AddressRefused(hostname), '');
      else callback(error, found, family);
    });
}
