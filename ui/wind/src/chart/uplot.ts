// Loaded on its own, so that the first page stays small.
import 'uplot/dist/uPlot.min.css';

export { default } from 'uplot';
