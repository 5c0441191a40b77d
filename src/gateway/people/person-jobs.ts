import { ApiError } from '../../platform/api-errors.ts'
import type { Again, JobKind } from '../../platform/jobs/job-queue.ts'
import type { AllPersonalData } from './personal-tables.ts'
import { failRequest, PERSON_JOB } from './requests.ts'
import type { PersonJobServices } from './run-person-job.ts'

const MAX_ATTEMPTS = 6
const UNEXPECTED = 'The server could not do this. A superuser sees why at GET /api/jobs.'

/** Jobs that export or erase the data of a person. A job whose node died runs again from where it ended. */
export const makePersonJobs = (
  servicesOf: (user: string) => Omit<PersonJobServices, 'personalData'>,
  personalData: AllPersonalData,
): JobKind => ({
  name: PERSON_JOB,
  places: 2,
  placesOfHolder: 1,
  timeoutSeconds: 300,
  maxAttempts: MAX_ATTEMPTS,
  async run(job, signal): Promise<Again | undefined> {
    const services = { ...servicesOf(job.holder), personalData }
    const { runPersonJob } = await import('./run-person-job.ts')
    try {
      return await runPersonJob(services, job, signal)
    } catch (error) {
      const isFinal = error instanceof ApiError
      if (isFinal || job.attempts >= MAX_ATTEMPTS)
        await failRequest(services.store.db, job.key, isFinal ? error.message : UNEXPECTED)
      if (!isFinal) throw error
    }
  },
})
