/** Says whether the thread's environment has been changed. */
export interface EnvironmentWatch {
  readonly isChanged: boolean;
  /** From now on, changes count. */
  begin(): void;
}

/** Notices every change of `process.env`; comparing all of it after each call would cost more than most calls. */
export function watchEnvironment(): EnvironmentWatch {
  let changed = false;
  process.env = new Proxy(process.env, {
    set(variables, name, value) {
      const text = String(value);
      if (typeof name === 'string' && variables[name] !== text) {
        changed = true;
        variables[name] = text;
      }
      return true;
    },
    deleteProperty(variables, name) {
      if (typeof name === 'string' && name in variables) {
        changed = true;
        delete variables[name];
      }
      return true;
    },
    defineProperty(variables, name, descriptor) {
      changed = true;
      return Reflect.defineProperty(variables, name, descriptor);
    },
  });
  return {
    get isChanged() {
      return changed;
    },
    begin() {
      changed = false;
    },
  };
}
