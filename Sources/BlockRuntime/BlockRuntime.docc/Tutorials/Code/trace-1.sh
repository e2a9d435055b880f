swift build --package-path Examples --product Thumbnails
