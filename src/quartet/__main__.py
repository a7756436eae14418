from quartet.cli import main

main()
