// Loaded separately to keep the first page small.
import 'uplot/dist/uPlot.min.css';

export { default } from 'uplot';
