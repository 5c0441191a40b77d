/** The files that were chosen in forms, by the name of the draft: storage of the browser is too small. */
export const chosenFiles = new Map<string, readonly File[]>()
