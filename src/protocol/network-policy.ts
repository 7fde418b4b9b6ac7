/** Which hosts code may reach: `api.example.com`, `*.example.com`, either with an optional `:port`. */
export type NetworkPolicy = { readonly kind: 'unrestricted' } | { readonly kind: 'none' } | { readonly kind: 'allowlist'; readonly hosts: readonly string[] };
