/**
 * Removes the variables of libpq, such as PGSSLMODE, PGOPTIONS and PGSERVICE, from the environment of this
 * process: they describe another Postgres than the embedded one. node-pg reads some of them whenever it makes
 * a client, and options of its own cannot replace an empty value. All names begin with PG and a letter, so
 * PG_BIN stays. https://www.postgresql.org/docs/current/libpq-envars.html
 */
export function clearLibpqVariables(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(environment)) if (/^PG[A-Z]/i.test(name)) delete environment[name]
}
