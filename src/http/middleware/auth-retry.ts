import { StaleAuth } from '../../records/fresh-auth.ts'

/** Each time somebody else has changed the record of who asks in just that moment. */
const MAX_TRIES = 20

/**
 * Does `work` for who asks, and again, for whoever that is by then, when it found that their record has
 * changed meanwhile. So `work` can hold the record until its end (`lockFreshAuth`) without a refusal for a
 * change that does not matter.
 */
export async function retryWithFreshAuth<A, T>(
  identify: () => Promise<A>,
  work: (asker: A) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const asker = await identify()
    try {
      return await work(asker)
    } catch (error) {
      if (!(error instanceof StaleAuth) || tries === MAX_TRIES) throw error
    }
  }
}
