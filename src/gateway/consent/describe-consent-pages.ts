import { z } from 'zod'

export const HTML = { 'text/html': { schema: z.string() } }

const FAILURES: Readonly<Record<number, string>> = {
  403: 'The server refuses the request.',
  429: 'Too many requests: wait, then ask again.',
  500: 'The server has failed.',
  503: 'The server is busy: wait, then ask again.',
}

/** Answers of a page, by status. Failures are pages, too. */
export const describePageAnswers = (descriptions: Readonly<Record<number, string>>) =>
  Object.fromEntries(
    Object.entries({ ...FAILURES, ...descriptions }).map(([status, description]) => [
      status,
      { description, content: HTML },
    ]),
  )

export const JOIN = z
  .object({
    country: z
      .string()
      .optional()
      .describe('The country of a number without a calling code, ISO 3166.'),
    number: z.string().optional(),
    agree: z.string().optional().describe('Any text: the box is checked.'),
    version: z
      .string()
      .optional()
      .describe('The version of the text that the page showed, from its form.'),
    to: z.string().optional().describe('With `code`: the number that got the code.'),
    code: z.string().optional().describe('The code that confirms the number.'),
  })
  .meta({ id: 'JoinForm' })

export const LEAVE = z
  .object({ group: z.string().optional().describe('A group to leave; left out, all texts end.') })
  .meta({ id: 'LeaveForm' })

export const describeFormBody = (schema: z.ZodType) => ({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema } },
})
