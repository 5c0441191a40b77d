/** A typed address in small letters: phones write the first one large, and a sign-in compares all of them. */
export const writeEmail = (typed: unknown): string => String(typed).trim().toLowerCase()
