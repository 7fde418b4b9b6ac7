/** Where a record belongs: a tenant, and what within it. */
export interface Scope {
  readonly tenantId: string;
  readonly userId?: string;
  readonly orgId?: string;
  readonly projectId?: string;
  readonly threadId?: string;
  readonly sessionId?: string;
}

/** The scope fields and the columns that hold them, in the order in which canonical JSON has them. */
export const scopeColumns = [
  ['orgId', 'org_id'],
  ['projectId', 'project_id'],
  ['sessionId', 'session_id'],
  ['tenantId', 'tenant_id'],
  ['threadId', 'thread_id'],
  ['userId', 'user_id'],
] as const satisfies readonly (readonly [keyof Scope, string])[];

/** The columns of a scope; a field that a scope leaves out is null. */
export interface ScopeRow {
  readonly tenant_id: string;
  readonly user_id: string | null;
  readonly org_id: string | null;
  readonly project_id: string | null;
  readonly thread_id: string | null;
  readonly session_id: string | null;
}

export function scopeRow(scope: Scope): ScopeRow {
  return {
    tenant_id: scope.tenantId,
    user_id: scope.userId ?? null,
    org_id: scope.orgId ?? null,
    project_id: scope.projectId ?? null,
    thread_id: scope.threadId ?? null,
    session_id: scope.sessionId ?? null,
  };
}

export function scopeOf(row: ScopeRow): Scope {
  return {
    tenantId: row.tenant_id,
    ...(row.user_id === null ? {} : { userId: row.user_id }),
    ...(row.org_id === null ? {} : { orgId: row.org_id }),
    ...(row.project_id === null ? {} : { projectId: row.project_id }),
    ...(row.thread_id === null ? {} : { threadId: row.thread_id }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
  };
}

/** A row's scope as canonical JSON: what the hash covers, and what tells one scope from another. */
export function scopeText(row: ScopeRow): string {
  let fields = '';
  for (const [field, column] of scopeColumns) {
    const value = row[column];
    if (value !== null) fields += `${fields === '' ? '' : ','}"${field}":${JSON.stringify(value)}`;
  }
  return `{${fields}}`;
}
