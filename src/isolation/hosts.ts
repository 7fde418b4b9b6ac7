import type { NetworkPolicy } from '../protocol/isolation.js';

/** Whether a policy lets code reach a host; a pattern with a port means that port alone. */
export function allowsHost(policy: NetworkPolicy, host: string, port: number | undefined): boolean {
  switch (policy.kind) {
    case 'unrestricted':
      return true;
    case 'none':
      return false;
    case 'allowlist':
      return policy.hosts.some((pattern) => matches(pattern, normalized(host), port));
  }
}

/** `api.example.com`, `*.example.com` for whatever is below it, either with `:443`, and IPv6 addresses in brackets. */
function matches(pattern: string, host: string, port: number | undefined): boolean {
  const [, name = pattern, patternPort] = /^(.*?)(?::(\d+))?$/.exec(isBareIpv6(pattern) ? `[${pattern}]` : pattern) ?? [];
  if (patternPort !== undefined && port !== undefined && Number(patternPort) !== port) return false;
  const wanted = normalized(name);
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1 : host === wanted;
}

function isBareIpv6(pattern: string): boolean {
  return !pattern.startsWith('[') && pattern.split(':').length > 2;
}

/** Host names are compared without case, a trailing dot, or the brackets of an IPv6 address. */
function normalized(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
