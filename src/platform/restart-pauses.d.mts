export class RestartPauses {
  next(readyForMs: number): number
}
