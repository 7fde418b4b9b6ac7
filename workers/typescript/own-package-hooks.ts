import type { ResolveHook } from 'node:module';

/** Resolves `packhost/…` as this packhost itself does where a pack has none installed. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  if (!/^packhost(?:\/|$)/.test(specifier)) return nextResolve(specifier, context);
  try {
    return await nextResolve(specifier, context);
  } catch {
    // From here the name is the package's own (https://nodejs.org/api/packages.html#self-referencing-a-package-using-its-name).
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
};
