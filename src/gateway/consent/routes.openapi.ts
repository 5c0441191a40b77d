import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { chapter, SERVER } from '../../http/openapi/operations.ts'
import { NOBODY } from '../../http/openapi/security.ts'

const HTML = { 'text/html': { schema: z.string() } }

const FAILURES: Readonly<Record<number, string>> = {
  403: 'The server refuses the request.',
  429: 'Too many requests: wait, then ask again.',
  500: 'The server has failed.',
  503: 'The server is busy: wait, then ask again.',
}

/** Answers of a page, by status. Failures are pages, too. */
const pages = (descriptions: Readonly<Record<number, string>>) =>
  Object.fromEntries(
    Object.entries({ ...FAILURES, ...descriptions }).map(([status, description]) => [
      status,
      { description, content: HTML },
    ]),
  )

const JOIN = z
  .object({
    country: z.string().optional().describe('The country of a number without a calling code, ISO 3166.'),
    number: z.string().optional(),
    agree: z.string().optional().describe('Any text: the box is checked.'),
    version: z.string().optional().describe('The version of the text that the page showed, from its form.'),
    to: z.string().optional().describe('With `code`: the number that got the code.'),
    code: z.string().optional().describe('The code that confirms the number.'),
  })
  .meta({ id: 'JoinForm' })

const LEAVE = z
  .object({ group: z.string().optional().describe('A group to leave; left out, all texts end.') })
  .meta({ id: 'LeaveForm' })

const form = (schema: z.ZodType) => ({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema } },
})

export const consentPagePaths = (): ZodOpenApiPathsObject =>
  chapter(SERVER, NOBODY, {
    'GET /join/{id}': {
      id: 'showJoinPage',
      summary: 'The page by which people join a group',
      description:
        'A page in the language of the browser, without scripts and cookies. The group has `join_page`.',
      responses: pages({ 200: 'The page.', 404: 'No group with this id has a page.' }),
    },
    'POST /join/{id}': {
      id: 'joinByPage',
      summary: 'Ask to join a group',
      description:
        'Texts the number to confirm, within the limits of codes, and adds an entry to `consents`. A number that has joined or opted out gets the same answer, but no text.',
      requestBody: form(JOIN),
      responses: pages({
        200: 'The number was asked to confirm, or has confirmed by its code.',
        400: 'The form again, with the fault.',
        402: 'The quota of the account is used up.',
        403: 'The number gets no codes, or another site sent the form.',
        404: 'No group with this id has a page.',
        409: 'The text of the page has changed: the form again.',
        413: 'The form has more than 16 KiB.',
        429: 'A limit of codes is reached.',
        503: 'No device can send a text.',
      }),
    },
    'GET /leave/{token}': {
      id: 'showLeavePage',
      summary: 'The page by which a person ends texts',
      description: 'The address is that of `{{stop_link}}` in a text. It changes nothing.',
      responses: pages({ 200: 'The page, with a button.', 404: 'The token is wrong.' }),
    },
    'POST /leave/{token}': {
      id: 'leaveByPage',
      summary: 'End texts',
      description:
        'Ends the texts of the account to the person of the link, or those of a group, and adds an entry to `consents`. Texts that no device has claimed end, too.',
      requestBody: { ...form(LEAVE), required: false },
      responses: pages({
        200: 'The texts are ended.',
        403: 'Another site sent the form.',
        404: 'The token is wrong.',
        413: 'The form has more than 16 KiB.',
      }),
    },
  })
