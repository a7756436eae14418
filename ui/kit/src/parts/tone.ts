/** Five tones for every state that is shown in colour. */
export type Tone = 'good' | 'active' | 'warn' | 'bad' | 'idle';
