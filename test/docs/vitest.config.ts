import { defineConfig } from 'vitest/config'
import { findPostgres } from '../support/database/postgres.ts'

const hasPostgres = Boolean(process.env.TEST_DATABASE_URL || findPostgres())

const pglite = {
  extends: true as const,
  test: { name: 'pglite', env: { TEST_BACKEND: 'pglite' } },
}
const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    env: { TEST_BACKEND: 'postgres' },
    globalSetup: '../support/database/postgres-setup.ts',
  },
}

/** Every block of README and docs, run as a reader does: minutes, so not a part of `npm test`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['pages.run.ts'],
    pool: 'forks',
    maxWorkers: 2,
    projects: hasPostgres ? [pglite, postgres] : [pglite],
  },
})
